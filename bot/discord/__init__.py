"""Where Discord is spoken to: the client, its commands and presses, and the messages that it is sent."""
