"""Discord's limits of messages, components, forms and commands."""

from __future__ import annotations

from typing import Final

# Of a whole message, nested components included.
MAX_COMPONENTS: Final = 40
MAX_TEXT_CHARS: Final = 4000

MAX_FILE_BYTES: Final = 10 * 1024 * 1024
MAX_ALT_CHARS: Final = 1024
MAX_CUSTOM_ID_CHARS: Final = 100
MAX_ROW_BUTTONS: Final = 5
MAX_SELECT_OPTIONS: Final = 25
MAX_SELECT_TEXT_CHARS: Final = 100  # of an option's label, value or description
MAX_FORM_FIELDS: Final = 5
MAX_TITLE_CHARS: Final = 45  # of a form's title and of the label of a field
MAX_HINT_CHARS: Final = 100  # of the description of a form's field
MAX_CHOICES: Final = 25  # suggestions for an option of a command
MAX_CHOICE_CHARS: Final = 100
"""Of a suggestion's name and value. Discord checks options only on submission: longer text gets no suggestions."""
MAX_THREAD_NAME_CHARS: Final = 100
