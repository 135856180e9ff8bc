import fc from 'fast-check'
import { expect } from 'vitest'
import { type DiligenceInput, diligenceops } from '#domain/rails/diligenceops/index.ts'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import { railOf } from '#domain/rails/index.ts'
import { verifies } from '../../../verifies.ts'
import { dice, shuffled } from './dice.ts'
import { questionnaire } from './diligenceops/questionnaire.ts'

verifies('rails.order', 'the order of recipients changes no payment', () => {
  const recipient = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      weight: fc.integer({ min: 1, max: 5 }),
      cap_minor: fc.integer({ min: 50, max: 400 }),
      floor_minor: fc.integer({ min: 0, max: 40 }),
    },
    { requiredKeys: ['id', 'weight'], noNullPrototype: true },
  )
  const few = fc.uniqueArray(recipient, { selector: ({ id }) => id, minLength: 1, maxLength: 7 })
  const amount = fc.integer({ min: 1, max: 5_000 })
  fc.assert(
    fc.property(few, amount, fc.nat(), (recipients, amount_minor, seed) => {
      const paid = (given: typeof recipients) => {
        const { result, gaps } = distributionops.work({
          pool: { amount_minor, currency: 'EUR' },
          rounding: 'largest_remainder',
          recipients: given,
        })
        const found = JSON.stringify({ result, gaps })
        return JSON.parse(found.replaceAll(/(\/recipients\/)\d+/g, '$1'))
      }
      expect(paid(shuffled(recipients, dice(seed)))).toEqual(paid(recipients))
    }),
    { numRuns: 200 },
  )
})

verifies('rails.currency', 'another currency changes nothing but its name', () => {
  for (const key of ['tokenops', 'financeops', 'distributionops', 'energyops'] as const) {
    const { sandboxInput, work } = railOf(key)
    const [, currency = ''] = /"currency":"([A-Z]{3})"/.exec(JSON.stringify(sandboxInput)) ?? []
    const inFrancs = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(new RegExp(`\\b${currency}\\b`, 'g'), 'CHF'))
    const { manifest_sha256: _own, ...result } = work(inFrancs(sandboxInput)).result as Digested
    const { manifest_sha256: _other, ...expected } = inFrancs(work(sandboxInput).result) as Digested
    expect(currency, key).toMatch(/^[A-Z]{3}$/)
    expect(result, key).toEqual(expected)
  }
})
type Digested = { manifest_sha256?: string }

verifies('rails.files', 'documents that are split between paragraphs answer the same', () => {
  const { input } = questionnaire()
  const expected = answersTo(input)
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const roll = dice(seed)
      const evidence = input.evidence.flatMap((document) => {
        const paragraphs = document.text.split('\n\n')
        return roll() < 0.5
          ? [document]
          : paragraphs.map((text, part) => ({ ...document, id: `${document.id}-${part}`, text }))
      })
      expect(evidence.length).toBeGreaterThan(input.evidence.length)
      expect(answersTo({ ...input, evidence })).toEqual(expected)
    }),
    { numRuns: 3 },
  )
})

const answersTo = (input: DiligenceInput) =>
  diligenceops.work(input).result.answers.map(({ question_id, answer, verdict, citations }) => ({
    question_id,
    answer,
    verdict,
    quotes: citations.map(({ quote }) => quote).sort(),
  }))
