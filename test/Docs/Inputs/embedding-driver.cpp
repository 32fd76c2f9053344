// EXAMPLE docs/embedding.md 3
