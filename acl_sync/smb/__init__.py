"""Windows file servers: the connection, what they say of shares and of their own groups, and the permission reader."""
