import { expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import { faultsText, groupFaults, placedAt } from '#domain/rails/input/input-faults.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { verifies } from '../../../../verifies.ts'

const faultsOf = (key: RailKey, input: unknown) => {
  const read = readInput(railOf(key), input)
  return 'faults' in read ? read.faults : []
}
const good = { at: '2026-03-01T00:00:00Z', model: 'm', input_tokens: 1, output_tokens: 1 }
const { at: _at, ...undated } = good

verifies('rails.faults', 'faults of thousands of rows are a few counted groups', () => {
  const rows: unknown[] = Array.from({ length: 3_000 }, () => ({ ...good }))
  for (let index = 10; index < 257; index++) rows[index] = { ...good, at: '31.12.2025' }
  for (let index = 300; index < 330; index++) rows[index] = { ...good, output_tokens: null }
  rows[400] = { ...good, input_tokens: -1, team: 'search' }
  rows[500] = undated
  rows[600] = 'no row'
  const grouped = groupFaults(
    placedAt('/input', faultsOf('tokenops', { price_table: [], usage: rows })),
  )
  expect(grouped).toMatchObject({ total: 281, groups_left_out: 0 })
  expect(grouped.groups.map(({ kind, field, count }) => [kind, field, count])).toEqual([
    ['wrong_format', '/input/usage/*/at', 247],
    ['wrong_type', '/input/usage/*/output_tokens', 30],
    ['out_of_bounds', '/input/usage/*/input_tokens', 1],
    ['unknown_field', '/input/usage/*/team', 1],
    ['missing_field', '/input/usage/*/at', 1],
    ['wrong_type', '/input/usage/*', 1],
  ])
  const [dates, , , team, missing] = grouped.groups
  expect(dates?.first).toEqual(
    [10, 11, 12, 13, 14].map((row) => ({
      pointer: `/input/usage/${row}/at`,
      row,
      value: '"31.12.2025"',
    })),
  )
  expect(team?.first).toEqual([{ pointer: '/input/usage/400/team', row: 400, value: '"search"' }])
  expect(missing?.first).toEqual([{ pointer: '/input/usage/500/at', row: 500, value: null }])
})

verifies('rails.faults', 'rails without rows have the same groups', () => {
  const packet = { title: 'x', profile: 'none', items: [{ name: 'a', section: 's', sha256: 'no' }] }
  expect(groupFaults(faultsOf('packetops', packet)).groups).toMatchObject([
    { kind: 'unknown_value', field: '/profile', first: [{ row: null, value: '"none"' }] },
    { kind: 'wrong_format', field: '/items/*/sha256', first: [{ row: 0, value: '"no"' }] },
  ])
  expect(groupFaults(faultsOf('scout', null)).groups).toMatchObject([
    { kind: 'wrong_type', field: '', first: [{ pointer: '', value: 'null' }] },
  ])
})

verifies('rails.faults', 'values, groups and the text of all faults are bounded', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`c${at}`, '😀'.repeat(900)]),
  )
  const faults = faultsOf('tokenops', { price_table: [], usage: [{ ...good, ...wide }] })
  const { total, groups, groups_left_out } = groupFaults(faults)
  expect([total, groups.length, groups_left_out]).toEqual([400, 100, 300])
  expect(groups[0]?.first[0]?.value).toBe(`"${'😀'.repeat(99)}…`)
  const text = faultsText(faults)
  expect(text.length).toBeLessThanOrEqual(2_000)
  expect(text).toMatch(/^The input has 400 faults\.\n1 × unknown_field \/usage\/\*\/c0/)
  expect(text).toMatch(/\nThe other groups \(\d+\) are not shown\.$/)
})
