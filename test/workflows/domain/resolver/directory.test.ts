import { expect } from 'vitest'
import { submissionOutcome } from '#domain/resolver/directory.ts'
import { verifies } from '../../../verifies.ts'

verifies('directory.attempts', 'the status of an answer decides, or leaves it unknown', () => {
  const statuses = {
    accepted: [200, 201, 202, 204],
    refused: [301, 307, 400, 403, 404, 409, 410, 422],
    unknown: [undefined, 0, 100, 408, 425, 429, 500, 502, 503],
  } as const
  for (const [outcome, all] of Object.entries(statuses))
    expect(all.map(submissionOutcome)).toEqual(all.map(() => outcome))
})
