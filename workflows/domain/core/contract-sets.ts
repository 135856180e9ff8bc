/** The versions of the contract sets that the service keeps to. */
export const contractSets = {
  result_contract: 'v2',
  result_contract_split: '1.0',
  pricing_model: 'v2',
  runtime_data_binding: 'v1',
} as const

/** The contract sets that every contract view keeps to, by the names of the documents. */
export const boundSets = [
  `pricing-model-${contractSets.pricing_model}`,
  `runtime-data-binding-${contractSets.runtime_data_binding}`,
] as const

/** The version members of every result contract. */
export const resultContractVersion = {
  version: contractSets.result_contract,
  split_version: contractSets.result_contract_split,
} as const
