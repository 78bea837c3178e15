"""The bilingual terminology of a site: words and phrases, with their translations, from its aligned segments."""
