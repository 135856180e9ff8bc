import type { CellTable, Form, FormRows } from '../../form.ts'
import { namesApart } from '../../input/names.ts'

type Cells = Readonly<Record<string, string>>

/** The payments of one token in the CSV of Safe's airdrop app, each by its receiver. */
export const safeAirdropForm: Form = {
  name: 'Safe CSV airdrop',
  source: 'CSV Airdrop app of Safe (bh2smith/safe-airdrop)',
  example: 'bh2smith/safe-airdrop public/sample.csv and test_data (MIT)',
  kind: 'table',
  read({ header, records }: CellTable) {
    const names = header.map((name) => name.trim().toLowerCase())
    // Earlier versions of the app called the amount a value, and paid tokens alone.
    const isOfApp = ['token_address', 'receiver'].every((name) => names.includes(name))
    if (!isOfApp || !names.some((name) => name === 'amount' || name === 'value')) return undefined
    const idOf = namesApart()
    let first: string | undefined
    const rows = records.map(({ line, cells }): FormRows['rows'][number] => {
      const row = Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()]))
      const token = tokenOf(row)
      if (token === undefined)
        return { line, malformed: 'is of a token that is not counted, such as an NFT' }
      first ??= token
      if (token !== first)
        return {
          line,
          malformed: `pays ${token}, and the rows above ${first}: a pool is of one token`,
        }
      const amount = row['amount'] ?? row['value'] ?? ''
      if (!/^\d+(\.\d+)?$/.test(amount))
        return { line, malformed: `has the amount ${amount || 'of nothing'}` }
      const receiver = row['receiver'] ?? ''
      if (receiver === '') return { line, malformed: 'has no receiver' }
      return { line, value: { id: idOf(receiver), wallet: receiver, amount } }
    })
    const detail = `the file pays ${first ?? 'no token'}; that the pool is of this token is not in the file`
    const findings = [{ code: 'token_of_file', detail }]
    return { rows, says: { token: first ?? 'none' }, leftOut: [], findings }
  },
}

/** Undefined for tokens that have ids in place of amounts. */
function tokenOf({
  token_type: type = '',
  token_address: address = '',
}: Cells): string | undefined {
  const kind = type.toLowerCase()
  if (kind === 'native') return 'the native token'
  if (kind === '') return address === '' ? 'the native token' : `the token ${address.toLowerCase()}`
  return kind === 'erc20' ? `the token ${address.toLowerCase()}` : undefined
}
