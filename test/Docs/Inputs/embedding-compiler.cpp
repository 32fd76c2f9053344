// EXAMPLE docs/embedding.md 2
