/** Requirements on what a signer verifies, and what each database role may do: id → source and behavior. */
export const signerRequirements = {} as const
