"""What a user takes home from a run: corpus files, exports, the report's tables."""
