"""What touches the network: guard, connections, limits, pace."""
