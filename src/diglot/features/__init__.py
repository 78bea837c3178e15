"""Evidence: functions of a site and pairs of its rows -> one float32 column.

NaN means no evidence, never evidence against. One idea a file, with its paper and section.
"""
