import type { Session } from '../session.ts'

/** Plays one step; it throws `Unmet` where the step has failed, and answers a status where that of the last answer is another. */
export type Script = (session: Session) => Promise<unknown>
/** A script for each step of a suite. */
export type ScriptsOf<Steps extends readonly { readonly step: string }[]> = Readonly<
  Record<Steps[number]['step'], Script>
>
