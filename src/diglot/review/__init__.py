"""Review by hand: segments drawn for a person, the sheets to judge them on, and what the verdicts weigh."""
