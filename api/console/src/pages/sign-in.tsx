import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call } from '../calls.ts'
import { Button, Field, fieldClass, Problem } from '../parts/basics.tsx'

/** Signs in with the credential of an operator, or at the issuer that is configured. */
export function SignInPage() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [credential, setCredential] = useState('')
  const [error, setError] = useState<unknown>()
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: async () =>
      (await fetch('/console/settings.json')).json() as Promise<{ sign_in_at_issuer: boolean }>,
  })
  const signIn = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await call('session-open', {}, { authorization: `Bearer ${credential.trim()}` })
      queries.clear()
      await navigate({ to: '/' })
    } catch (refused) {
      setError(refused)
    }
  }
  return (
    <main className="mx-auto mt-[12vh] max-w-md p-4">
      <h1 className="mb-4 text-xl font-semibold">Sign in to the agent-rails console</h1>
      {settings.data?.sign_in_at_issuer === true && (
        <p>
          <a
            href="/console/oidc/begin"
            className="block rounded-md border border-accent bg-accent px-3 py-2 text-center font-medium text-on-accent no-underline"
          >
            Continue with your organisation
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => void signIn(event)}
        className="space-y-3 rounded-lg border border-line bg-card p-4"
      >
        <Field
          label="Operator credential"
          hint="It begins with op_ and was shown once when it was made."
        >
          <input
            className={fieldClass}
            type="password"
            autoComplete="current-password"
            required
            value={credential}
            onChange={(event) => setCredential(event.target.value)}
          />
        </Field>
        <Problem error={error} />
        <Button tone="primary" type="submit" className="w-full">
          Sign in
        </Button>
      </form>
    </main>
  )
}
