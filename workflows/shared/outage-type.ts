/** The type of a failure that says only that a dependency was away. */
export const OUTAGE = 'Outage'
