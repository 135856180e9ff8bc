import { expect } from 'vitest'
import { z } from 'zod'
import { Time } from '../../api/fields.ts'
import { viewOf } from '../../api/view.ts'
import { sourcesIn } from '../support/sources.ts'
import { verifies } from '../verifies.ts'

const filesWith = (folder: string, found: RegExp): string[] =>
  sourcesIn([folder], /\.tsx?$/)
    .filter(({ text }) => found.test(text))
    .map(({ path }) => path.slice(folder.length + 1))
    .sort()

verifies('structure.records', 'a review is declared, but for those of runs and money', () => {
  // These lock several rows, or decide about what has no table of its own.
  expect(filesWith('api/services/reviews', /assert\.waitsSince\(/)).toEqual([
    'agent.ts',
    'loop-step.ts',
    'payment-reference.ts',
    'record-subject.ts',
    'recovery.ts',
    'task.ts',
    'work-order.ts',
  ])
})

verifies('structure.records', 'a search page of the console is declared', () => {
  expect(filesWith('api/console/src/pages', /<SearchForm\b/)).toEqual([])
})

verifies('structure.records', 'a view has the fields of its shape, and no others', () => {
  const Note = z.strictObject({ id: z.string(), text: z.string().nullable(), at: Time })
  const row = { id: 'n_1', text: null, at: new Date(0), secret: 'kept' }
  expect(viewOf(Note, row)).toEqual({ id: 'n_1', text: null, at: '1970-01-01T00:00:00.000Z' })
  expect(Note.safeParse(viewOf(Note, row)).success).toBe(true)
})
