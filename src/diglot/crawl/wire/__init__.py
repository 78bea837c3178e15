"""Network access: address guard, connections, limits and delays."""
