-- Fences out a worker that has lost its lane: raises LN001 unless p_epoch is the lane's present
-- one. Called by the functions that change a lane's messages; only the owner may call it. Holds a
-- key share lock on the lane, so that nobody claims it until the transaction ends.
create or replace function fence_lane(p_account uuid, p_token uuid, p_epoch bigint) returns void
language plpgsql as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch
    for key share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
end
$$;

revoke all on function fence_lane from public;
