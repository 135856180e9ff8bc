/** Which schema this is, the oldest program that may use it, and the SHA-256 of each migration that made it. */
export const schemaVersion = [
  `create table schema_version (
    only_row boolean primary key default true check (only_row),
    version integer not null check (version > 0),
    oldest_program integer not null check (oldest_program between 1 and version),
    migrations jsonb not null
  )`,
]
