"""The failures that `make failures` tries, with the line that the bot logs; docs/reference.md lists them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

FINAL, RETRIED, GOES_ON = "exits with 2", "tries again", "goes on"


class Failure(NamedTuple):
    name: str
    line: str  # with `…` for what differs from host to host
    then: str

    def matches(self, line: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, self.line.split("…"))), line) is not None


FAILURES: Final = (
    Failure("no token", "DISCORD_TOKEN is not set; put the bot's token into the environment or a .env file", FINAL),
    Failure(
        "the token with something else",
        "DISCORD_TOKEN: a token has no spaces, quotes or other such characters; copy it alone",
        FINAL,
    ),
    Failure("a setting out of its range", "WORKERS: Input should be greater than or equal to 1", FINAL),
    Failure(
        "`PHASE_LENGTH` is no length of time",
        "PHASE_LENGTH: '…' is not a time from a minute to 30 days; write it as 24h, 2d 12h or 20:00",
        FINAL,
    ),
    Failure("`HEALTH_FILE` in a folder that is not there", "HEALTH_FILE: there is no folder …", FINAL),
    Failure(
        "one port for two things", "HTTP_PORT and INTERACTIONS_PORT are the same; choose another for one of them", FINAL
    ),
    Failure("a package of `GAMES` is missing", "GAMES: no_such_package: No module named 'no_such_package'", FINAL),
    Failure("`HTTP_PORT` is taken", "HTTP_HOST and HTTP_PORT cannot be had: …address already in use", RETRIED),
    Failure(
        "Discord refuses the token",
        "Discord does not accept DISCORD_TOKEN; copy it again from the developer portal",
        FINAL,
    ),
    Failure(
        "the token is reset while the bot runs",
        "Discord does not accept DISCORD_TOKEN; copy it again from the developer portal",
        FINAL,
    ),
    Failure(
        "a shard that Discord does not know",
        "Discord does not accept the number of a shard; set SHARDS to the same number for all bots",
        FINAL,
    ),
    Failure(
        "too many servers for one connection",
        "the bot is on too many servers for one connection; set SHARDS, as docs/running.md says under Several bots",
        FINAL,
    ),
    Failure(
        "a version that Discord no longer knows",
        "Discord does not understand this version any more (code 4012); upgrade war-galley",
        FINAL,
    ),
    Failure(
        "an intent that Discord does not know",
        "Discord does not understand this version any more (code 4013); upgrade war-galley",
        FINAL,
    ),
    Failure(
        "`MEMBERS_INTENT` without the intent",
        "MEMBERS_INTENT=true needs the Server Members Intent: switch it on in the developer portal under"
        " Bot, or set MEMBERS_INTENT=false",
        FINAL,
    ),
    Failure(
        "Cloudflare limits the address",
        "Cloudflare keeps this machine's address away from Discord (error code: 1015); wait, stop what else"
        " asks Discord from here, or use another address",
        RETRIED,
    ),
    Failure(
        "Cloudflare blocks the address",
        "Cloudflare keeps this machine's address away from Discord (error code: 1020); wait, stop what else"
        " asks Discord from here, or use another address",
        RETRIED,
    ),
    Failure(
        "Discord limits the bot",
        "Discord has limited the bot's requests for … s; if that happens often, look for another program"
        " with the same token",
        RETRIED,
    ),
    Failure(
        "Discord is out of order",
        "Discord is out of order (503); nothing to do unless it lasts; see discordstatus.com",
        RETRIED,
    ),
    Failure(
        "a login page in Discord's place",
        "what answers is not Discord; check the network for a proxy or a login page",
        RETRIED,
    ),
    Failure("no way to Discord", "Discord cannot be reached (…); check the network and the firewall", RETRIED),
    Failure(
        "few connections remain",
        "only … connections to Discord remain for the next … s; look for what connects again and again, such"
        " as another program with the same token",
        RETRIED,
    ),
    Failure(
        "a database that is neither SQLite nor PostgreSQL",
        "the database cannot be opened: DATABASE_URL is of no use: games are kept in SQLite or PostgreSQL,"
        " not in mysql",
        FINAL,
    ),
    Failure("a file of another program", "the database cannot be opened: …: it holds tables of another program", FINAL),
    Failure(
        "a database of a newer version",
        "the database cannot be opened: …: its tables are of a newer war-galley (…)",
        FINAL,
    ),
    Failure("a database that does not exist", 'the database cannot be opened: …database "…" does not exist', FINAL),
    Failure("PostgreSQL is not there yet", "the database cannot be used just now: …; start its server", RETRIED),
    Failure(
        "another bot has the file",
        "the database cannot be used just now: …: another war-galley is running on this database file; stop"
        " that one, or give this one a database of its own",
        RETRIED,
    ),
    Failure(
        "the disk is full",
        "the database cannot be used just now: …; free some space on its disk; if there is enough, the disk"
        " may be broken",
        RETRIED,
    ),
    Failure("Discord hangs up", "Shard ID None has successfully RESUMED session …", GOES_ON),
    Failure("Discord is away for a while", "Attempting a reconnect in…", GOES_ON),
    Failure("Discord ends the session", "Shard ID None session has been invalidated.", GOES_ON),
    Failure("few connections remain while the bot runs", "too few connections to Discord remain", GOES_ON),
    Failure("PostgreSQL goes away", "database cannot be read", GOES_ON),
)
