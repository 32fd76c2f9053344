// EXAMPLE docs/embedding.md 4
