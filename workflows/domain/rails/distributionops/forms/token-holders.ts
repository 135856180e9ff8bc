import type { CellTable, Form, FormRows } from '../../form.ts'
import { namesApart } from '../../input/names.ts'

/** The holders of a token with their balances as weights, in the CSV of Etherscan and of the explorers made by it. */
export const tokenHoldersForm: Form = {
  name: 'Etherscan token holders',
  source: 'Etherscan, Download CSV of the holders of a token',
  example: 'the first rows of an export, as a public program documents them',
  kind: 'table',
  read({ header, records }: CellTable) {
    const names = header.map((name) => name.trim().toLowerCase())
    const [holderAt, balanceAt] = [names.indexOf('holderaddress'), names.indexOf('balance')]
    if (holderAt < 0 || balanceAt < 0) return undefined
    const idOf = namesApart()
    const rows = records.map(({ line, cells }): FormRows['rows'][number] => {
      const holder = (cells[holderAt] ?? '').trim()
      const weight = (cells[balanceAt] ?? '').trim().replace(/(?<=\d),(?=\d{3}(\D|$))/g, '')
      if (holder === '') return { line, malformed: 'has no holder' }
      return { line, value: { id: idOf(holder), wallet: holder, weight } }
    })
    return { rows, says: {}, leftOut: [], findings: [] }
  },
}
