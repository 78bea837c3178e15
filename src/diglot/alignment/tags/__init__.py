"""LibTagAligner (Bitextor 2010): alignment by tags and lengths."""
