"""What was recorded when: the store as a commit holds it, and questions asked of it as it stood then."""
