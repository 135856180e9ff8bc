import { z } from 'zod'
import type { Work } from '../rails/rail.ts'

/** The artifact of a delivered package that holds the work of the rail. */
export const WORK_ARTIFACT = 'work.json'

const cited = z.looseObject({
  code: z.string(),
  detail: z.string(),
  citations: z.array(z.unknown()),
})
const Delivered = z.strictObject({
  result: z.record(z.string(), z.unknown()),
  findings: z.array(cited),
  gaps: z.array(cited),
})

/** What an agent delivered for an order: the digests of its artifacts, its claims, and the work that its rail validated. */
export type Delivery = {
  artifacts: { name: string; sha256: string; bytes: number }[]
  claims: { claim: string; artifact: string }[]
  handoff_pack: string | null
  work: Work<unknown>
}

/** The work in the text of an artifact; undefined where it has another shape. The rail's validator judges its content. */
export function deliveredWork(text: string): Work<unknown> | undefined {
  try {
    return Delivered.safeParse(JSON.parse(text)).data as Work<unknown> | undefined
  } catch {
    return undefined
  }
}
