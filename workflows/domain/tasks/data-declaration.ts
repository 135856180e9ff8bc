/** What the sender of an order declares of its input. */
export const DATA_DECLARATION = 'no_regulated_or_confidential_data' as const

/** What happens to an input, as a term of every contract; where a model drafts, the agent accepts that too. */
export const dataPolicy = (model: string | null): string =>
  model === null
    ? 'The input is used for this run and its replays, and for nothing else.'
    : `The input is used for this run and its replays, and for nothing else. Passages of it and open questions are sent to the model ${model}, which drafts answers apart from the result.`

/** Whether a data policy lets a model draft. */
export const namesModel = (policy: string): boolean => policy !== dataPolicy(null)

/** The same as a term of every contract, which the agent accepts. */
export const declaredTerm =
  'The agent declares that the input holds no regulated records and no confidential production client data. The service does not detect them.'
