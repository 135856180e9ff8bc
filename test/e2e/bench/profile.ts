import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { round } from './figures.ts'

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }

const SHOWN = 15
/** What V8 names its waiting. */
const IDLE = '(idle)'

/** For each thread that left a profile below the folder: which packages and which functions its time went to. */
export function printProfiles(directory: string): void {
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.cpuprofile')) continue
    const profile: Profile = JSON.parse(readFileSync(join(directory, file), 'utf8'))
    const busy = ownTimes(profile).filter(({ name }) => name !== IDLE)
    console.log(`\n${file}: ${round(sum(busy) / 1000)} ms busy`)
    console.table(top(busy, ({ url }) => placeOf(url)))
    console.table(
      top(busy, ({ name, url, line }) => `${name || '(anonymous)'} ${placeOf(url)}:${line}`),
    )
  }
}

type Own = { name: string; url: string; line: number; us: number }

function ownTimes({ nodes, samples, timeDeltas }: Profile): Own[] {
  const own = new Map<number, number>()
  for (const [index, id] of samples.entries())
    own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0))
  return nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
    return { name: functionName, url, line: lineNumber + 1, us: own.get(id) ?? 0 }
  })
}

function top(all: readonly Own[], key: (own: Own) => string) {
  const groups = new Map<string, number>()
  for (const own of all) groups.set(key(own), (groups.get(key(own)) ?? 0) + own.us)
  const whole = sum(all)
  return [...groups]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([where, us]) => ({
      where: where.slice(0, 80),
      ms: round(us / 1000),
      share: `${round((100 * us) / whole)} %`,
    }))
}

/** A package by its name, our own files from `dist/` on. */
function placeOf(url: string): string {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  return name ?? (url.split('/dist/')[1] || url || '(native)')
}

const sum = (all: readonly Own[]): number => all.reduce((total, { us }) => total + us, 0)
