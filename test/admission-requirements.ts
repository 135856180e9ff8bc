/** Requirements on what a call may cost before and after its caller is known: id → source and behavior. */
export const admissionRequirements = {
  'admission.caller-first': {
    source: 'api-conventions § The call pipeline, in order',
    behavior:
      'A wrong credential, webhook signature or wallet proof is refused before the body is read as JSON, and a body that is refused is not screened.',
  },
  'admission.body-size': {
    source: 'api-conventions § The call pipeline, in order',
    behavior:
      'A body without a credential is at most 64 KiB, also where the operation takes larger ones, and also with a credential of a kind that the operation does not take.',
  },
  'admission.json-depth': {
    source: 'api-conventions § The call pipeline, in order',
    behavior: 'A body whose lists and objects nest deeper than 64 levels is 400 invalid_json, however deep it is.',
  },
} as const
