"""The pictures with which README begins: made by a command, so that they stay true."""
