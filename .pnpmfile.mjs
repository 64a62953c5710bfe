/** What is published of a manifest: what only this workspace reads stays out. */
export const hooks = {
  beforePacking(manifest) {
    const published = { ...manifest, exports: {} }
    delete published.scripts
    delete published.devDependencies
    for (const [entry, target] of Object.entries(manifest.exports)) {
      published.exports[entry] = typeof target === 'string' ? target : { ...target }
      // It names sources, which are not published.
      if (typeof target !== 'string') delete published.exports[entry]['@assent/source']
    }
    return published
  },
}
