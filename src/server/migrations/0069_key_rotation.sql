-- A rotation of SECRET_KEY seals the installation's own values anew.
grant update on installation_secrets to kabari_app;
