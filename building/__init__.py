"""How labelguard is built: its kernels compiled, packed into wheels, and these checked. No part of what is installed."""
