"""Where the work is done: the same stages on this machine or on a cluster."""
