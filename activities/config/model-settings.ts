import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { between, count, text } from './setting-kinds.ts'

/** The optional model: an endpoint that speaks the OpenAI protocol for chat completions. */
export const modelSettings = {
  MODEL_URL: z
    .string()
    .regex(/^(https?:\/\/[^\s?#@]+[^\s?#@/])?$/, 'an http or https URL without a trailing slash')
    .default('')
    .describe(
      'an OpenAI-compatible endpoint, as URL/chat/completions, that drafts answers to open questions; the same for all processes; empty: no model',
    ),
  MODEL_NAME: z.string().max(200).default('').describe('the model to ask for there'),
  MODEL_API_KEY_FILE: text().describe(
    'a file with the key of that endpoint as a JSON string; only for workers that serve `callbacks`; empty: no key is sent',
  ),
  MODEL_PRIVATE_ADDRESS: z
    .enum(['allowed', 'refused'])
    .default('refused')
    .describe(
      'allowed: the endpoint may be at a private address, on any port and without TLS, such as a model on this network',
    ),
  MODEL_TIMEOUT_MS: between(1, 60_000, 30_000).describe('for one call of the model'),
  MODEL_TOKENS_PER_DAY: count(2_000_000).describe(
    'tokens that all calls of a UTC day may use; each call is counted before it is sent, by the most that it may use',
  ),
  MODEL_TOKENS_PER_RUN: count(120_000).describe('the same for the calls of one run'),
  MODEL_TOKENS_OF_ANALYSES_PER_DAY: count(500_000).describe(
    'tokens that the free analyses of agents may use in a UTC day, apart from those of runs',
  ),
  MODEL_TOKENS_OF_ANONYMOUS_PER_DAY: count(200_000).describe(
    'the same for the analyses of callers without an access key',
  ),
  MODEL_ANALYSIS_CALLS_PER_CALLER: count(20).describe(
    'calls of the model that the analyses of one agent, or of one address without a key, may make in a UTC day',
  ),
  MODEL_ANALYSIS_CALLS_PER_DAY: count(200).describe(
    'the same for all agents together, and once more for all callers without a key',
  ),
}

/** Throws where a model has an endpoint and no name. */
export function assertModel({
  MODEL_URL,
  MODEL_NAME,
}: {
  readonly MODEL_URL: string
  readonly MODEL_NAME: string
}): void {
  if (MODEL_URL !== '' && MODEL_NAME === '')
    throw new Error('configuration: MODEL_URL needs MODEL_NAME')
}

/** The model and its host, as contracts name it; null: none is configured. */
export const modelNamed = ({
  MODEL_URL,
  MODEL_NAME,
}: {
  readonly MODEL_URL: string
  readonly MODEL_NAME: string
}): string | null => (MODEL_URL === '' ? null : `${MODEL_NAME} at ${new URL(MODEL_URL).host}`)

const Key = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/)

/** The key of the endpoint; undefined where no file is named. Errors name the file and never quote it. */
export function readModelKey(path: string): string | undefined {
  if (path === '') return undefined
  const text = readFileSync(path, 'utf8')
  try {
    return Key.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path}: it is no JSON string of printable ASCII characters`)
  }
}
