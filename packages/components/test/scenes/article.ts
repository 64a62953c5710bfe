/** One of everything that Markdown can say. */
export const article = `The short answer: **take the second one** unless you need *offline* use. It is the only one with a [public price list](https://example.com/pricing).

## How they compare

| Option | Price | Offline | Limit |
|---|---:|:---:|---|
| Basic | $ 9 | yes | 100 calls an hour |
| Team | $ 24 | no | 5,000 calls an hour |
| Own server | $ 80 | yes | none, but you run it |

### Calling it

1. Get a key with \`POST /keys\`
2. Call it:

\`\`\`ts
const response = await fetch('https://api.example.com/v1/reports', {
  headers: { authorization: \`Bearer \${key}\` },
})
\`\`\`

3. Check the answer:
   - [x] status is \`200\`
   - [ ] the list is not empty

> Prices change on the first of each month.
> Ask again before you sign.

![A chart of the prices](https://charts.example.net/prices.png)

Raw HTML such as <b onclick="alert(1)">this</b> stays text, and [bank.example](https://evil.example/login) shows where it leads.

---

That is all.`
