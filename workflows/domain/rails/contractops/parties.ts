import { type Contract, spanOf } from './contract.ts'
import type { Party } from './schema.ts'

/** Parties are named before the contract proper begins, within so much of its text. */
const PREAMBLE_CHARS = 4000

const quoted = String.raw`[“"']([A-Z][\w&’' -]{0,60}?)[”"']`
// (“Customer”), (the "Provider"), (hereinafter referred to as "Landlord"), (“Acme” or “Customer”)
const defined = new RegExp(
  String.raw`\(\s*(?:hereinafter,?\s+)?(?:referred\s+to\s+(?:herein\s+)?as\s+)?(?:the\s+)?(?:[“\"'][^”\"'\n]{1,60}[”\"']\s+or\s+(?:the\s+)?)?${quoted}\s*\)`,
  'g',
)
const nameEnds =
  /,\s+(?:an?|the|whose|having|with|located|organi[sz]ed|existing|acting|incorporated|registered)\s/
const formOf = /^,\s+(an?\s+[^,(]+?)(?=\s*(?:,|\(|$|\s(?:with|having)\s))/
// Landlord: Harbour Estates LLC
const labelled =
  /^[ \t]*([A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?):[ \t]+([A-Z][^\n]*?\b(?:Inc|LLC|L\.L\.C|Ltd|Limited|LLP|GmbH|AG|SE|PLC|plc|Corp|Corporation|Company|Co)\b\.?)/gm

/** The parties that the preamble names after “between”, by the terms defined for them; else those with labels. */
export function partiesOf(contract: Contract): Party[] {
  const preamble = contract.text.slice(0, PREAMBLE_CHARS)
  const start = /\b(?:between|among)\b:?/i.exec(preamble)
  const named =
    start === null ? [] : definedParties(contract, preamble, start.index + start[0].length)
  return named.length > 0 ? named : labelledParties(contract, preamble)
}

function definedParties(contract: Contract, preamble: string, start: number): Party[] {
  const parties: Party[] = []
  let from = start
  for (const { 0: whole, 1: role = '', index } of preamble.matchAll(defined)) {
    if (index < start) continue
    const between = preamble.slice(from, index)
    const lead = /^[\s,;]*(?:and\s+)?(?:\(\d\)\s*)?(?:and\s+)?/.exec(between)?.[0] ?? ''
    const description = between.slice(lead.length)
    // A definition that follows no name, such as that of a date, ends the list.
    if (
      !/^[\p{Lu}\p{N}]/u.test(description) ||
      /\n\s*\n\s*\S|\.\s+[A-Z][a-z]+ [a-z]/.test(
        description.replace(/\b(?:Inc|Ltd|Co|Corp)\./g, ''),
      )
    )
      break
    const end = nameEnds.exec(description)?.index ?? description.search(/[\s,]*$/)
    const at = { from: from + lead.length, to: from + lead.length + end }
    const form = formOf.exec(description.slice(end))?.[1]?.replace(/\s+/g, ' ').trim()
    const citation = spanOf(contract, at)
    parties.push({
      name: citation.quote.replace(/\s+/g, ' '),
      role,
      form: form ?? null,
      citation,
    })
    from = index + whole.length
  }
  return parties
}

function labelledParties(contract: Contract, preamble: string): Party[] {
  return [...preamble.matchAll(labelled)].map(({ 0: whole, 1: role = '', 2: name = '', index }) => {
    const from = index + whole.length - name.length
    return { name, role, form: null, citation: spanOf(contract, { from, to: from + name.length }) }
  })
}
