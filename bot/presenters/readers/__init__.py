"""Reading games by subject: each method is one transaction or one job, and changes nothing."""
