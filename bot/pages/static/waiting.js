// Loads a page again once what it waits for is there. Without scripts, readers follow its link.

const WAIT_MS = 5000;

async function look() {
  const answer = await fetch(location.href, { cache: "no-store" }).catch(() => null); // null: the reader is offline
  const text = answer && await answer.text();
  if (text && !text.includes("data-waiting")) location.reload();
  else setTimeout(look, WAIT_MS);
}

setTimeout(look, WAIT_MS);
