import { hash } from 'node:crypto'
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { z } from 'zod'
import { jsonOf } from '#domain/core/strict-json.ts'
import { writeWhole } from './secret-file.ts'

/** What a process has to remember when it is started again, in the order in which it happened. */
export type Journal<Entry> = {
  /** What it held when it was opened, oldest first. */
  readonly entries: readonly Entry[]
  /** Returns once the entry is on disk. After a write that failed, every call throws until the process is started again. */
  append(entry: Entry): Promise<void>
}

/** A journal that is forgotten with its process. */
export const inMemory = <Entry>(): Journal<Entry> => ({
  entries: [],
  append: async () => undefined,
})

type Form<Entry> = {
  readonly schema: z.ZodType<Entry>
  /** The entries that still count; the others are left out when the file is rewritten. */
  readonly live: (entries: readonly Entry[]) => readonly Entry[]
}

/** How many entries that may no longer count the file holds, at the least, before it is rewritten. */
const SPARE = 1_000

/**
 * Opens the journal in a file of mode 0600, and rewrites it with what still counts; from then on an earlier process appends
 * nothing. Entries that are appended during a write go with the next one. Throws where a line is damaged; what follows the last
 * newline was never answered and is left out.
 */
export function openJournal<Entry>(path: string, { schema, live }: Form<Entry>): Journal<Entry> {
  let entries: Entry[] = []
  let most = 0
  let file: Pick<Stats, 'ino' | 'size'>
  let last = ''
  const lineOf = (entry: Entry): string => {
    const json = JSON.stringify(entry)
    last = digestOf(last, json)
    return `${last} ${json}\n`
  }
  const rewrite = (all: readonly Entry[]) => {
    entries = [...live(all)]
    most = 2 * entries.length + SPARE
    last = ''
    writeWhole(path, entries.map(lineOf).join(''))
    file = statSync(path)
  }
  rewrite(readEntries(path, schema))
  let waiting: Entry[] = []
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let failure: Error | undefined

  const write = async (): Promise<void> => {
    const added = waiting
    waiting = []
    next = undefined
    entries.push(...added)
    const text = added.map(lineOf).join('')
    file = await appendTo(path, file, text)
    if (entries.length > most) rewrite(entries)
  }
  return {
    entries: [...entries],
    append: async (entry) => {
      if (failure !== undefined) throw failure
      waiting.push(entry)
      next ??= writing = writing.then(write)
      await next.catch((error: Error) => {
        failure = error
        throw error
      })
    },
  }
}

/** Appends to the file that is known, which no other process has changed; what it is then. */
async function appendTo(
  path: string,
  known: Pick<Stats, 'ino' | 'size'>,
  text: string,
): Promise<Pick<Stats, 'ino' | 'size'>> {
  const file = await open(path, 'a')
  try {
    const { ino, size } = await file.stat()
    if (ino !== known.ino || size !== known.size) throw new Error(`another process writes ${path}`)
    await file.appendFile(text)
    await file.datasync()
    return { ino, size: size + Buffer.byteLength(text) }
  } finally {
    await file.close()
  }
}

/** Each line has the digest of the line before it and of its own entry, so that no line in between is changed or lost unnoticed. */
const digestOf = (before: string, json: string): string => hash('sha256', `${before} ${json}`)

function readEntries<Entry>(path: string, schema: z.ZodType<Entry>): Entry[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  let last = ''
  return lines.map((line, index) => {
    const [digest = ''] = line.split(' ', 1)
    const json = line.slice(digest.length + 1)
    const isWhole = digest === digestOf(last, json)
    const entry = schema.safeParse(isWhole ? jsonOf(json) : undefined)
    if (!entry.success) throw damaged(path, index)
    last = digest
    return entry.data
  })
}

const damaged = (path: string, index: number): Error =>
  new Error(
    `${path} is damaged in line ${index + 1}. Restore it: without it, what was signed before is forgotten`,
  )
