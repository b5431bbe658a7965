// Security keys and passkeys: asks the browser for what the key signs, and sends it with its form.
(() => {
  const sentences = {
    NotAllowedError: () => "The security key was not used, or you cancelled. Try again.",
    InvalidStateError: () => "This security key is registered for your account already.",
    SecurityError: (host) => `The security keys of this site work only at ${host}, and this page is at ${location.hostname}. Open the site there.`,
  };
  const insecure = "This browser uses security keys only over HTTPS, or at localhost.";

  const ask = async (form) => {
    const options = JSON.parse(document.getElementById("js_data").textContent);
    const publicKey = (options.creation_options ?? options.request_options).publicKey;
    if (!window.isSecureContext || !window.PublicKeyCredential) throw new Error(insecure);
    try {
      const credential = options.creation_options ? await webauthnJSON.create({ publicKey }) : await webauthnJSON.get({ publicKey });
      form.elements.credential.value = JSON.stringify(credential);
    } catch (problem) {
      const host = publicKey.rpId ?? publicKey.rp?.id;
      throw new Error(sentences[problem.name]?.(host) ?? `The security key did not work: ${problem.message}`, { cause: problem });
    }
  };

  for (const form of document.querySelectorAll("form[data-security-key]")) {
    const button = form.querySelector("[type=submit]");
    const complaint = form.querySelector("[data-complaint]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      event.stopPropagation();
      complaint.hidden = button.disabled = true;
      try {
        await ask(form);
        form.submit();
      } catch (problem) {
        complaint.textContent = problem.message;
        complaint.hidden = button.disabled = false;
        button.focus();
      }
    });
  }
})();
