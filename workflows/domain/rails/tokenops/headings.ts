import type { Headings } from '../form.ts'

/** What gateways, proxies and dashboards call the columns of usage. */
export const usageHeadings: Headings = {
  at: ['timestamp', 'time', 'date', 'created at', 'start time', 'usage date', 'request time'],
  model: ['model name', 'model id', 'model version', 'provided model name', 'model slug'],
  input_tokens: ['prompt tokens', 'input', 'tokens in', 'tokens prompt', 'context tokens'],
  output_tokens: ['completion tokens', 'output', 'tokens out', 'tokens completion'],
  cached_input_tokens: [
    'cached tokens',
    'cache read tokens',
    'cache read input tokens',
    'input cached tokens',
    'tokens cached',
  ],
  cache_write_tokens: [
    'cache creation tokens',
    'cache creation input tokens',
    'cache write input tokens',
  ],
  audio_input_tokens: ['input audio tokens'],
  audio_output_tokens: ['output audio tokens'],
  reasoning_tokens: ['thinking tokens', 'tokens reasoning', 'output reasoning tokens'],
  searches: ['web searches', 'web search count', 'web search requests'],
  requests: ['number of requests', 'request count', 'num model requests', 'n requests', 'calls'],
  service: ['service tier'],
  request_id: ['generation id', 'call id', 'completion id'],
  agent: ['agent name', 'app', 'app name', 'api key name'],
  customer: ['customer id', 'customer name', 'end user'],
  billed: ['cost', 'cost usd', 'total cost', 'cost total', 'spend', 'amount'],
  billed_currency: ['currency', 'billing currency', 'cost currency'],
}
