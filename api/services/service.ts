/** A service of the API: commands over what `compose.ts` gives it. */
export abstract class Service<Deps> {
  protected readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }
}
