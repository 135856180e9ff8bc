import { type JudgedClaim, judgeClaims, type PackageItem } from '../commerce/claims.ts'
import { sha256Hex } from '../core/canonical-json.ts'

/** A compliance packet with what is asked about it. */
export type AnalysisInput = {
  packet: {
    title: string
    purpose?: string | undefined
    as_of?: string | undefined
    required_sections?: string[] | undefined
    items: {
      name: string
      section: string
      text: string
      issued_at?: string | undefined
      expires_at?: string | undefined
    }[]
    claims: { claim: string; item?: string | undefined }[]
  }
  questions: string[]
}

/** The packet as packetops reads it; without a list of its own, the sections that its items name are required. */
export function packetInputOf({ packet }: AnalysisInput) {
  const { items, claims: _claims, required_sections, ...head } = packet
  return {
    ...head,
    required_sections: required_sections ?? [...new Set(items.map(({ section }) => section))],
    items: items.map(({ text, ...item }) => ({ ...item, content: text })),
  }
}

/** The questions as diligenceops reads them; null where none is asked. */
export function questionsOf({ packet, questions }: AnalysisInput) {
  if (questions.length === 0) return null
  return {
    questions: questions.map((text, at) => ({ id: `q${at + 1}`, text, required: true })),
    evidence: packet.items.map(({ name, text }, at) => ({ id: `e${at + 1}`, title: name, text })),
  }
}

/** The items of a packet as the package of a proof. */
export const itemsOf = ({ packet }: AnalysisInput): (PackageItem & { text: string })[] =>
  packet.items.map(({ name, text }) => ({
    name,
    text,
    sha256: sha256Hex(text),
    bytes: null,
  }))

/** Each claim with the item that decides it: the one that it names, else the first that denies it, that holds it, or of all. */
export function judgedClaims(input: AnalysisInput): JudgedClaim[] {
  const { items, claims } = input.packet
  const names = items.map(({ name }) => name)
  const about = claims.map(({ item }) => (item === undefined ? names : [item]))
  const pairs = claims.flatMap(({ claim }, at) =>
    (about[at] ?? []).map((artifact) => ({ claim, artifact })),
  )
  const judged = judgeClaims(pairs, itemsOf(input))
  let from = 0
  return about.flatMap(({ length }) => {
    const all = judged.slice(from, from + length)
    from += length
    const firstOf = (wanted: JudgedClaim['state']) => all.find(({ state }) => state === wanted)
    return firstOf('contradicted') ?? firstOf('bound') ?? all[0] ?? []
  })
}
