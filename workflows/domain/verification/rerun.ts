import { utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { canonicalJson, digestOf, sha256Hex } from '../canonical-json.ts'
import { CODE_VERSION } from '../code-version.ts'
import { railOf } from '../rails/index.ts'
import type { Work } from '../rails/rail.ts'
import type { ReplayPackage } from '../replay-package.ts'

type Outcome = { fault: string } | { holds: string }

/** Does the work of the run's latest input again, and holds what comes out against the signed result, findings and gaps. */
export function rerun(made: ReplayPackage, given: { input?: unknown }): Outcome {
  const { rail: key, ledger, inputs, documents, return_package: before } = made
  const named = ledger.map(({ data }) => data['input_sha256']).filter((sha256) => typeof sha256 === 'string')
  if (named.join() !== inputs.join()) return { fault: 'the ledger names other inputs than the package' }
  const latest = named.at(-1)
  if (latest === undefined)
    return before === null ? { holds: 'no work was begun' } : { fault: 'the ledger names no input' }
  if (before !== null && before.input_sha256 !== latest) return { fault: 'the result is of another input' }
  const input = given.input ?? documents.find(({ sha256 }) => sha256 === latest)?.content
  if (input === undefined) return { fault: `the input ${latest} is not in the package: give it as a file` }
  if (digestOf(input) !== latest) return { fault: `the input that was given is not ${latest}` }
  const rail = railOf(key)
  const { data, error } = rail.input.safeParse(input)
  if (error !== undefined)
    return before === null ? { holds: `${key} refuses the input` } : { fault: z.prettifyError(error) }
  return compare(made, rail.work(data))
}

function compare({ rail, code_version, return_package: before }: ReplayPackage, work: Work<unknown>): Outcome {
  const now = digestOf(work.result)
  if (before === null) return { holds: `there is no result to compare with; the work done now gives ${now}` }
  const by = code_version === CODE_VERSION ? '' : `, made by version ${code_version} and done again by ${CODE_VERSION}`
  if (now !== before.result_sha256) return { fault: `${rail} gives the result ${now}${by}` }
  if (manifestOf(work) !== before.manifest_sha256) return { fault: `${rail} gives other findings or gaps${by}` }
  return { holds: `${rail} gives the result ${now} again${by}` }
}

/** The digest of the manifest that a package of this work has. */
function manifestOf(work: Work<unknown>): string {
  const files = (['result', 'findings', 'gaps'] as const).map((name) => {
    const text = canonicalJson(work[name])
    return { name: `${name}.json`, sha256: sha256Hex(text), bytes: utf8ToBytes(text).length }
  })
  return digestOf(files)
}
