/** The readings of uploads, each kept for the day in which it counts, also where its upload is deleted. */
export const uploadReadings: readonly string[] = [
  `create table upload_readings (
    check_id text not null check (check_id ~ '^uc_[0-9a-f]{64}$'),
    owner text not null,
    bytes bigint not null check (bytes >= 0),
    began_at timestamptz not null,
    primary key (check_id, began_at)
  )`,
  `create index upload_readings_owner on upload_readings (owner, began_at)`,
]
