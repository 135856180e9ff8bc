import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../activities/config/package-root.ts'

/** One program that opens an agent of the sandbox and gets a first result: its language, how it is run, and its code. */
export type FirstAgent = { readonly language: string; readonly run: string; readonly code: string }

const programs = [
  { language: 'TypeScript', run: 'node examples/sandbox.mjs', file: 'sandbox.mjs' },
  { language: 'Python', run: 'python3 examples/sandbox.py', file: 'sandbox.py' },
  { language: 'curl', run: 'bash examples/sandbox.sh', file: 'sandbox.sh' },
] as const

/** The programs of examples/, for the hosts of this service. */
export function firstAgents({
  baseUrl,
  osUrl,
}: {
  baseUrl: string
  osUrl: string
}): readonly FirstAgent[] {
  return programs.map(({ language, run, file }) => ({
    language,
    run,
    code: readFileSync(join(packageRoot, 'examples', file), 'utf8')
      .replaceAll('http://127.0.0.1:3000', baseUrl)
      .replaceAll('http://127.0.0.1:3001', osUrl),
  }))
}
