"""The bilingual terminology of a site: words and phrases that its aligned segments translate by each other."""
