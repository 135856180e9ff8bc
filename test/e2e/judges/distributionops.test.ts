import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { type DistributionInput, distributionops } from '#domain/rails/distributionops/index.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { createPayout } from '../../../api/operations/payouts.ts'
import { verifies } from '../../verifies.ts'
import { judged } from './truths.ts'

type Planted = {
  id: string
  amount: string
  call: string | null
  transfer: string | null
  iban: string
  name: string
}
type Truth = {
  payments: Planted[]
  carried: Record<string, number>
  transactions: number
  control_sum: string
  calls: number
  calls_sum: string
}
type Read = {
  counts: number[]
  sums: string[]
  sum: string
  level: string | null
  debtor: string[]
  rows: Record<'id' | 'amount' | 'currency' | 'name' | 'iban' | 'text', string>[]
}

/** As ISO 20022 published it in 2019. */
const XSD_SHA256 = '05440a7e84f695e7dbc6677082f43623cd7393881b76a5e8d648ae21d7d728e3'
const xsd = readFileSync(
  join(import.meta.dirname, '../../workflows/domain/rails/distributionops/pain.001.001.09.xsd'),
  'utf8',
)
const read = (xml: string): Read =>
  JSON.parse(
    execFileSync('python3', [join(import.meta.dirname, 'distributionops.py'), 'read'], {
      input: xml,
      encoding: 'utf8',
    }),
  )
const schemaErrors = async (files: string[]) =>
  (
    await validateXML({
      xml: files.map((contents, at) => ({ fileName: `${at}.xml`, contents })),
      schema: [{ fileName: 'pain.001.001.09.xsd', contents: xsd }],
    })
  ).errors.map(({ message, loc }) => `${loc?.fileName}: ${message}`)

const SEEDS = 40
const cases = Array.from({ length: SEEDS }, (_, seed) =>
  judged<{ input: DistributionInput; truth: Truth }>('distributionops', seed),
)
const filesOf = (input: DistributionInput, run = 'run_1') => {
  const work = workOn(distributionops, input)
  const about = { run_id: run, rail: 'distributionops', tier: 'standard', usage: 'operational' }
  const digests = { input_sha256: 'a'.repeat(64), result_sha256: 'b'.repeat(64) }
  return reportOf({ ...about, ...digests, partial: false } as never, work)
}

verifies(
  'distributionops.judge',
  `${SEEDS} pools are paid to the unit as Python divides them`,
  () => {
    for (const [seed, { input, truth }] of cases.entries()) {
      const { result } = workOn(distributionops, input)
      const scale = { EUR: 2, CHF: 2, USDC: 6, JPY: 0, BHD: 3 }[input.pool.currency] ?? 0
      const text = (minor: number) =>
        String(minor)
          .padStart(scale + 1, '0')
          .replace(new RegExp(`(\\d{${scale}})$`), scale === 0 ? '' : '.$1')
      const found = result.payments.map((one) => [
        one.recipient_id,
        text(one.amount_minor),
        one.payout_refused,
        one.transfer_refused,
      ])
      const planted = truth.payments.map((one) => [one.id, one.amount, one.call, one.transfer])
      expect(found, `seed ${seed}`).toEqual(planted)
      expect(
        Object.fromEntries(result.carried.map((one) => [one.recipient_id, one.balance_minor])),
      ).toEqual(truth.carried)
      expect(result.payout_calls.ready).toBe(truth.calls)
      if (input.pool.currency === 'USDC')
        expect(Number(text(result.payout_calls.amount_minor))).toBe(Number(truth.calls_sum))
      expect(result.credit_transfer?.transactions ?? 0).toBe(truth.transactions)
      expect(Number(text(result.credit_transfer?.control_sum_minor ?? 0))).toBe(
        Number(truth.control_sum),
      )
    }
  },
)

verifies(
  'distributionops.pain001',
  'every payment file fits the schema of ISO 20022 and adds up',
  async () => {
    expect(sha256Hex(xsd)).toBe(XSD_SHA256)
    const files: string[] = []
    for (const [seed, { input, truth }] of cases.entries()) {
      const xml = filesOf(input)['payouts/pain.001.001.09.xml']
      expect(xml === undefined, `seed ${seed}`).toBe(truth.transactions === 0)
      if (xml === undefined) continue
      files.push(xml)
      expect(xml).toMatch(/^[\x20-\x7e\n]*$/)
      const { counts, sums, sum, level, debtor, rows } = read(xml)
      expect(new Set(counts)).toEqual(new Set([truth.transactions]))
      expect([...sums, sum]).toEqual(Array(3).fill(truth.control_sum))
      expect(level).toBe(input.pool.currency === 'EUR' ? 'SEPA' : null)
      expect(debtor).toEqual(['Grosste Gesellschaft', 'DE89370400440532013000'])
      const planted = truth.payments.filter(({ transfer }) => transfer === null)
      expect(rows.map(({ id: _, ...row }) => row)).toEqual(
        planted.map(({ amount, iban, name }) => {
          const text = 'Q2 .2026. + more'
          return { amount, currency: input.pool.currency, name, iban, text }
        }),
      )
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    }
    expect(files.length).toBeGreaterThan(SEEDS / 4)
    expect(await schemaErrors(files)).toEqual([])
    // The schema is asked: it refuses what is no payment file.
    const broken = files.slice(0, 1).map((xml) => xml.replace('<PmtMtd>TRF', '<PmtMtd>GIVE'))
    expect(await schemaErrors(broken)).not.toEqual([])
  },
)

verifies(
  'distributionops.payout_calls',
  'each ready payment has one body that payout-create takes',
  () => {
    for (const { input, truth } of cases) {
      const text = filesOf(input)['payouts/payout-create.jsonl'] ?? ''
      const bodies = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => createPayout.input.parse(JSON.parse(line)))
      const ready = truth.payments.filter(({ call }) => call === null)
      expect(bodies.map(({ memo, amount_usdc }) => [memo, Number(amount_usdc)])).toEqual(
        ready.map(({ id, amount }) => [id, Number(amount)]),
      )
      const keys = bodies.map(({ idempotency_key }) => idempotency_key)
      expect(new Set(keys).size).toBe(keys.length)
      // The same run gives the same keys, and another run others.
      expect(filesOf(input)['payouts/payout-create.jsonl'] ?? '').toBe(text)
      const other = filesOf(input, 'run_2')['payouts/payout-create.jsonl'] ?? ''
      for (const key of keys) expect(other).not.toContain(key)
    }
  },
)
