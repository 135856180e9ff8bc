import type { Form, FormRows, XmlElement } from '../../form.ts'
import { below, textAt } from './elements.ts'
import { compactDay, oneText, type StatementRows, statementRows, unitsOf } from './statement.ts'

const source = 'Open Financial Exchange (OFX) 1.0.2 to 2.3'
const files = 'of jseutter/ofxparse (MIT)'
/** Statements of banks and cards by OFX and QFX: version 1 without closing tags, version 2 as XML. */
export const ofxSgml: Form = {
  name: 'OFX or QFX (version 1)',
  source,
  example: `bank_medium.ofx ${files}`,
  kind: 'text',
  read: (text) =>
    /^\s*(OFXHEADER:|<OFX>)/.test(text.slice(0, 200)) ? readOfx(sgmlTree(text)) : undefined,
}
export const ofxXml: Form = {
  name: 'OFX or QFX (version 2)',
  source,
  example: `suncorp.ofx ${files}`,
  kind: 'xml',
  read: (root) => (root.name === 'OFX' ? readOfx(root) : undefined),
}

type Building = { -readonly [Key in keyof XmlElement]: XmlElement[Key] } & { children: Building[] }

/** No statement is deeper, also with empty elements that are not closed. */
const DEPTH_MAX = 200

/** Elements with text need no closing tag; an empty one without it leaves what stands in it to its parent. */
function sgmlTree(text: string): XmlElement {
  const element = (name: string, line: number): Building => {
    return { name, attributes: {}, children: [], text: '', line }
  }
  const root = element('', 1)
  const open: Building[] = [root]
  let [line, counted] = [1, 0]
  for (const tag of text.matchAll(/<(\/?)([A-Z0-9.]+)>([^<]*(?:<!\[CDATA\[[^\]]*\]\]>)?)/gi)) {
    line += text.slice(counted, tag.index).split('\n').length - 1
    counted = tag.index
    const [, isEnd, name = '', inner = ''] = tag
    if (isEnd !== '') close(open, name.toUpperCase())
    else {
      const one = element(name.toUpperCase(), line)
      one.text = plainText(inner)
      open.at(-1)?.children.push(one)
      if (one.text === '' && open.length < DEPTH_MAX) open.push(one)
    }
  }
  return root
}

function close(open: Building[], name: string): void {
  const from = open.findLastIndex((one) => one.name === name)
  if (from === -1) return
  for (const unclosed of open.splice(from + 1)) {
    for (const child of unclosed.children.splice(0)) open[from]?.children.push(child)
  }
  open.pop()
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', nbsp: ' ' }
const plainText = (text: string): string =>
  text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(lt|gt|amp|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .trim()

function readOfx(root: XmlElement): FormRows | undefined {
  const statements = below(root, ['STMTRS', 'CCSTMTRS'])
  if (statements.length === 0) return undefined
  const rows = statementRows()
  const balances = statements.map((statement) => readStatement(statement, rows))
  return rows.rows({ accounts: balances.join(', ') })
}

function readStatement(statement: XmlElement, rows: StatementRows): string {
  const account =
    textAt(statement, 'BANKACCTFROM', 'ACCTID') ??
    textAt(statement, 'CCACCTFROM', 'ACCTID') ??
    'account'
  const currency = textAt(statement, 'CURDEF')
  for (const entry of below(statement, ['STMTTRN'])) {
    const amount = textAt(entry, 'TRNAMT')
    const id = textAt(entry, 'FITID')
    const name = textAt(entry, 'NAME') ?? textAt(entry, 'PAYEE', 'NAME')
    const memo = textAt(entry, 'MEMO')
    rows.add({
      line: entry.line,
      account,
      bankReference: id === undefined ? undefined : `${account} ${id}`,
      units: unitsOf(amount) ?? unitsOf(amount, ','),
      currency: textAt(entry, 'CURRENCY', 'CURSYM') ?? currency,
      paid_at: compactDay(textAt(entry, 'DTPOSTED')),
      counterparty: name,
      reference: oneText(memo ?? name, textAt(entry, 'REFNUM')),
    })
  }
  const balance = textAt(statement, 'LEDGERBAL', 'BALAMT')
  return balance === undefined ? account : `${account} (balance ${balance})`
}
