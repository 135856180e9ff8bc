/** Requirements on the first hour of a new user: id → source and behavior. */
export const firstUseRequirements = {
  'client.package': {
    source: 'decision',
    behavior:
      '`@agent-rails/client` packs and installs without the server; its types are whole in a strict project that checks libraries.',
  },
} as const
