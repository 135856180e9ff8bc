import { DomainError, type Refusal } from '#domain/core/errors.ts'
import type { ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import type { Extraction, UploadType } from '#domain/rails/input/documents.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { ReadAs } from '../extract/extract.ts'
import type { RowSource } from '../rows.ts'

type Lists = Readonly<Record<string, RowSource['format']>>
/** An input of a rail, the format of each of its lists that comes as a stream, and what was read from its files. */
export type RailInput = {
  rail: RailKey
  value: unknown
  lists: Lists
  extractions?: readonly Extraction[]
}

/** What a child process is asked to do. `work` and `value` came from agents; the child parses and trusts nothing of them. */
export type Job =
  | ({ kind: 'work'; tier: Tier } & RailInput)
  | ({ kind: 'validate'; tier: Tier; work: unknown } & RailInput)
  | {
      /** The prompts of finished work; with `outputs`, the drafts that they come to. */
      kind: 'draft'
      rail: RailKey
      input: unknown
      work: unknown
      outputs: readonly ModelOutput[] | null
    }
  | { kind: 'replay'; file: unknown; settings: unknown; lists: Lists }
  | { kind: 'extract'; mediaType: UploadType; as: ReadAs }
  | { kind: 'check'; rail: RailKey; list: string; corrections: ListCorrections; lists: Lists }

/** The answer of a child: the outcome as JSON, or the refusal that ended the work. */
export type Answer = { json: string } | { refusal: Refusal }

/** The name of the stream of a file that is extracted. */
export const FILE = 'file'

/** The messages between parent and child about a job; a null piece ends its list. */
export type FromChild = { started: number } | { wants: string }
export type ToChild = { list: string; piece: Uint8Array | null }

/** An outcome that is longer holds up the processes that store it and answer with it. */
export const ANSWER_CHARS_MAX = 16 * 1024 * 1024

/** The code of work that went over a limit. */
export function tooComplex(detail: string): DomainError {
  const next_action = 'Send a smaller or simpler input, or abandon the task.'
  return new DomainError({ code: 'input_too_complex', detail, next_action })
}
